export type BatchState =
  | 'planned'
  | 'running'
  | 'staged' // every row has a record or was refused; nothing is released
  | 'held' // staged, and something needs a person before the release
  | 'stopped'
  | 'interrupted'
  | 'complete' // every planned row is accepted or paid before, and none is known to have failed
  | 'incomplete' // the command has nothing left to send, and not every row is paid
  | 'canceled'; // by cancel: nothing of it is sent any more
