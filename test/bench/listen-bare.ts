// The bare server of `npm run bench:listen`: reads the body and answers, and nothing else. Prints its address.
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    response.writeHead(200).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}`);
});
