import {LossHunt} from './named-losses.ts';

// npm run long:listen [-- TIMES]
const times = Number(process.argv[2] ?? 50);
for (const what of ['killListeners', 'killRotations'] as const) {
  const hunt = new LossHunt();
  await hunt.open();
  try {
    await hunt[what](times);
    const {kills, events, kept, named} = await hunt.check();
    console.log(
      `${what}: ${kills} kills, ${events} events: ${kept} kept, ${named} dropped and named, 0 lost`,
    );
  } finally {
    await hunt.close();
  }
}
