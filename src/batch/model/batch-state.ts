export type BatchState =
  | 'planned'
  | 'running'
  | 'staged' // every row has a record or was refused; nothing is released
  | 'held' // staged; the release needs a decision of the operator
  | 'stopped'
  | 'interrupted'
  | 'complete' // every planned row is accepted or already paid, and none is known to have failed or to differ
  | 'incomplete' // the command has nothing left to send, but not every row is paid
  | 'canceled'; // by cancel: nothing more of it will be sent
