import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { greetingLines } from './greeting.ts';
import { canStartConsole } from './service-child.ts';
import { readDemoSettings } from './settings.ts';

describe('the console of npm start', () => {
  it('is left out if another program uses its port, and the greeting says so', async () => {
    const server = createServer().listen({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const settings = { ...readDemoSettings({}), consolePort: port };
    const greeting = (hasConsole: boolean) =>
      greetingLines(settings, { hasDemo: true, hasConsole, engines: {} }).join('\n');
    expect(await canStartConsole(settings)).to.equal(false);
    server.close();
    await once(server, 'close');
    expect(await canStartConsole(settings)).to.equal(true);
    expect(greeting(false)).to.include(`not started, because port ${port} is in use (CONSOLE_PORT moves it)`);
    expect(greeting(true)).to.include(`http://127.0.0.1:${port}/`);
  });
});
