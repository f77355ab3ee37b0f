/** Reads what has changed as it happens. */
export const INSPECTOR_SCRIPT = String.raw`  // Live

  let waiting = false;
  function changed(ids) {
    if (ids === null || ids.includes(wanted)) if (wanted !== '') void openDelivery(wanted, false);
    if (waiting || before !== '') return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      refreshList().catch(() => undefined);
    }, 50);
  }

  async function follow() {
    for (let pause = 500; ; pause = Math.min(2 * pause, 10000)) {
      try {
        const answer = await ask('/events');
        if (answer.status === 401) return;
        if (answer.ok) {
          pause = 500;
          setState('live', 'Live');
          changed(null);
          await readEvents(answer.body.pipeThrough(new TextDecoderStream()).getReader());
        }
      } catch {
        // The connection was lost: try again.
      }
      setState('lost', 'Connection lost. Is the command still running?');
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async function readEvents(reader) {
    for (let text = ''; ; ) {
      const {done, value} = await reader.read();
      if (done) return;
      text += value;
      const complete = text.split('\n\n');
      text = complete.pop();
      for (const event of complete) {
        const data = /^data: (.*)$/m.exec(event);
        if (data) changed(JSON.parse(data[1]).ids);
      }
    }
  }

`;
