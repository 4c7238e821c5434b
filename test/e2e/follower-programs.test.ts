import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { canRun, FOLLOWERS, FollowerProgram } from '../support/follower-program.ts';
import { eventually } from '../support/service-process.ts';

interface Answer {
  headers: Record<string, string>;
  body: string;
}

const HTML: Answer = {
  headers: { 'Content-Type': 'text/html' },
  body: '<html>\n<body>503</body>\n</html>\n',
};
const item = (price: number) => ({ id: 'a', price });

describe('the published followers', () => {
  for (const name of FOLLOWERS)
    it(`${name} asks again after a response that is not JSON`, async function () {
      if (!canRun(name)) this.skip();
      const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const links = () => ({ Link: `<${base()}/changes?afterChangeNumber=1>; rel="next"` });
      // A gateway answers the second request for the export, and the first one for the changes.
      const answers: (() => Answer)[] = [
        () => ({ headers: links(), body: `${JSON.stringify(item(1))}\n` }),
        () => HTML,
        () => ({ headers: { ...links(), 'Content-Length': '0' }, body: '' }),
        () => HTML,
        () => ({
          headers: {},
          body: JSON.stringify({
            items: [{ id: 'a', state: 'updated', modified: 2, data: item(2) }],
            next: `${base()}/changes?afterChangeNumber=2`,
          }),
        }),
      ];
      const server = createServer((_, response) => {
        const { headers, body } = answers.shift()?.() ?? {
          headers: {},
          body: JSON.stringify({ items: [], next: `${base()}/changes?afterChangeNumber=2` }),
        };
        for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
        response.end(body);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const follower = new FollowerProgram(name, base());
      try {
        follower.start();
        await eventually('the follower has the change', async () => {
          expect(follower.ending(), follower.log()).to.equal(undefined);
          return follower.next()?.endsWith('=2') === true;
        });
        expect(JSON.parse(follower.copy().get('a') ?? '{}')).to.deep.equal(item(2));
        expect(follower.run()).to.equal(1);
      } finally {
        await follower.close();
        server.close();
        server.closeAllConnections();
      }
    });
});
