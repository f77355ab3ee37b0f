// The least that a client can do: it reads and parses the same pages, one after the other. Prints the records, the
// milliseconds and the peak of its memory.
import {Agent, request} from 'node:http';

const [base, key] = process.argv.slice(2);
const agent = new Agent({keepAlive: true, maxSockets: 1});
const read = (path) =>
  new Promise((resolve, reject) => {
    const sent = request(base + path, {agent, headers: {'x-api-key': key}}, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    });
    sent.on('error', reject).end();
  });

const began = performance.now();
let records = 0;
let cursor = null;
do {
  const page = await read(`/api/payouts?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`);
  records += page.data.length;
  cursor = page.next_cursor;
} while (cursor !== null);
console.log(JSON.stringify({records, ms: performance.now() - began, kb: process.resourceUsage().maxRSS}));
agent.destroy();
