import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  expectAccessible,
  expectAccessibleLooks,
  layoutShift,
  runAxe,
  startBrowser,
  type TestBrowser,
  type WatchedPage,
  watchIssues,
} from '../support/browser.ts';
import { eventually } from '../support/service-process.ts';
import { accessibilityRules } from '../support/views/lighthouse.ts';

/** The pages' Content Security Policy, under which the checks must work. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'";
const LISTING_PICTURE = 'https://www.vitrine.example/imagens/apt-1/1.jpg';

const html = (body: string) => `<!doctype html><html lang="en"><head><title>Page</title>
  <link rel="icon" href="data:,"></head><body><main><h1>Page</h1>${body}</main></body></html>`;
const script = (code: string) => html(`<script>${code}</script>`);
const label = '<button>Search</button>';

/** Pages with one fault each, and the fault that each page's test must report. */
const FAULTY: Record<string, { body: string; policy?: string; fault: RegExp }> = {
  'a request to another host': {
    body: script("fetch('https://other.test/data').catch(() => {})"),
    fault: /^request to another host: https:\/\/other\.test\/data$/,
  },
  'a script of another host': {
    body: html('<script src="https://other.test/script.js"></script>'),
    fault: /^request to another host: https:\/\/other\.test\/script\.js$/,
  },
  'an image that belongs to no listing': {
    body: html('<img alt="" src="https://tracker.test/pixel.gif">'),
    policy: POLICY,
    fault: /^request to another host: https:\/\/tracker\.test\/pixel\.gif$/,
  },
  'a beacon': {
    body: script("navigator.sendBeacon('https://other.test/beacon', 'x')"),
    fault: /^request to another host: https:\/\/other\.test\/beacon$/,
  },
  'a data request to the host of listing pictures': {
    body: script(`fetch('${LISTING_PICTURE}').catch(() => {})`),
    fault: /^request to another host: https:\/\/www\.vitrine\.example\//,
  },
  'a socket to another host': {
    body: script("new WebSocket('wss://other.test/socket')"),
    fault: /^socket to another host: wss:\/\/other\.test\/socket$/,
  },
  'a service worker': {
    body: script("navigator.serviceWorker.register('/worker.js').catch(() => {})"),
    fault: /^console: Service Worker registration blocked/,
  },
  'an error in the console': { body: script("console.error('broken')"), fault: /^console: broken$/ },
  'a warning in the console': { body: script("console.warn('doubtful')"), fault: /^console: doubtful$/ },
  'an error of a script': {
    body: script("throw new Error('not caught')"),
    fault: /^error: not caught$/,
  },
  'a rejection without a handler': {
    body: script("Promise.reject(new Error('not handled'))"),
    fault: /^error: not handled$/,
  },
  'an inline script': {
    body: script('document.title = 1'),
    policy: POLICY,
    fault: /^console: .*script.*Content Security Policy/,
  },
  'an inline style': {
    body: html('<p style="color: red">Text</p>'),
    policy: POLICY,
    fault: /^console: .*style.*Content Security Policy/,
  },
  'a response with an error status': {
    body: script("fetch('/missing')"),
    fault: /^console: Failed to load resource: .*404/,
  },
  'an error in a page that the page opens': {
    body: script("open('/opened')"),
    fault: /^console: broken in the opened page$/,
  },
};

const FAULTLESS = html(`${label}<img alt="" src="${LISTING_PICTURE}">`);

describe('the checks of pages in a browser', () => {
  let browser: TestBrowser;
  let server: Server;
  let port: number;
  let upgrades = 0;
  let page: { body: string; policy?: string };
  const open = async (served: typeof page): Promise<WatchedPage> => {
    page = served;
    return browser.open(`http://127.0.0.1:${port}/`);
  };
  /** The error of the accessibility check, or undefined. */
  const fault = async (body: string): Promise<string | undefined> => {
    const opened = await open({ body: html(body), policy: POLICY });
    const error = await expectAccessible(opened.page, 'the page').then(
      () => undefined,
      (reason: unknown) => reason as Error & { actual: string[] },
    );
    return error?.actual.join('\n');
  };

  before(async function () {
    browser = await startBrowser(this);
    server = createServer(({ url }, response) => {
      const opened: typeof page = { body: script("console.error('broken in the opened page')") };
      const { body, policy } = url === '/opened' ? opened : page;
      response.writeHead(url === '/' || url === '/opened' ? 200 : 404, {
        'Content-Type': 'text/html',
        ...(policy && { 'Content-Security-Policy': policy }),
      });
      response.end(body);
    });
    server.on('upgrade', (_, socket) => {
      upgrades++;
      socket.destroy();
    });
    // The server listens on all addresses, so a browser without a guard can reach it as another host.
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => browser.closePages());
  after(async () => {
    await browser?.close();
    server?.close();
  });

  for (const [name, faulty] of Object.entries(FAULTY))
    it(`report ${name}`, async () => {
      const { faults } = await open(faulty);
      // The browser reports some faults only after the page has loaded.
      await eventually(`a fault like ${faulty.fault}`, async () =>
        faults.some((one) => faulty.fault.test(one)),
      );
    });

  it('accept a page without faults, and give its listings a picture', async () => {
    const { page: opened, faults } = await open({ body: FAULTLESS, policy: POLICY });
    await opened.waitForLoadState('networkidle');
    expect(await opened.evaluate<number>("document.querySelector('img').naturalWidth")).to.equal(1);
    await expectAccessible(opened, 'the page');
    expect(faults).to.deep.equal([]);
  });

  it('let no socket reach another address', async () => {
    const closed = `await new Promise((resolve) => {
      const socket = new WebSocket(url);
      socket.onerror = resolve;
    })`;
    const { page: opened } = await open({ body: html('') });
    const connect = (host: string) =>
      opened.evaluate(`(async (url) => { ${closed} })('ws://${host}:${port}/')`);
    await connect('127.0.0.1');
    expect(upgrades, 'the page reaches its own server').to.equal(1);
    await connect('127.0.0.2');
    expect(upgrades).to.equal(1);
  });

  it('report a button without a name, with its place and the remedy, under the policy of the pages', async () => {
    const reported = await fault('<button id="nameless"></button>');
    expect(reported).to.match(/^button-name: Buttons must have discernible text \(#nameless: Fix any/);
  });

  it('report text with low contrast', async () => {
    expect(await fault('<p><font color="#cccccc">Pale</font></p>')).to.match(/^color-contrast: /);
  });

  it('apply every rule of axe from which Lighthouse computes the accessibility of a page', async () => {
    const { page: opened } = await open({ body: html(label), policy: POLICY });
    const { violations, passes, incomplete, inapplicable } = await runAxe(opened);
    const applied = [violations, passes, incomplete, inapplicable].flat().map(({ id }) => id);
    expect(accessibilityRules()).to.have.lengthOf.at.least(40);
    expect(applied).to.include.members(accessibilityRules());
  });

  it('report what is wrong only in the dark theme or only on a phone', async () => {
    const looks = async (style: string, body: string) => {
      const opened = await open({ body: html(`<style>${style}</style>${body}`) });
      return expectAccessibleLooks(opened.page, 'the page').then(
        () => undefined,
        (reason: unknown) => String((reason as Error).message),
      );
    };
    const pale = '@media (prefers-color-scheme: dark) { p { color: #ccc; background: #fff } }';
    expect(await looks(pale, '<p>Pale</p>')).to.include('the page, dark');
    // The sizes are explicit, because the size of a button with only a label depends on the machine's fonts.
    const button = 'button { width: 40px; height: 40px; padding: 0 }';
    const small = `${button} @media (max-width: 400px) { button { width: 9px; height: 9px } }`;
    expect(await looks(small, '<button>a</button><button>b</button>')).to.include('360 px');
    expect(await looks('', '<p style="width: 400px">Wide</p>')).to.match(
      /4\d\d px in a window of 360 px: <p style/,
    );
    expect(await looks('', label)).to.equal(undefined);
  });

  it('report an issue of the developer tools', async () => {
    const { page: opened } = await open({ body: html('') });
    const issues = await watchIssues(opened);
    page = { body: '<p>A page without a document type</p>' };
    await opened.reload();
    await eventually('an issue', async () => issues.some((issue) => issue.startsWith('QuirksModeIssue')));
    issues.length = 0;
    page = { body: script('document.title = 1'), policy: POLICY };
    await opened.reload();
    await eventually('an issue', async () => issues.some((issue) => /^ContentSecurity/.test(issue)));
  });

  it('sum the layout shifts of a page', async () => {
    const { page: opened } = await open({ body: html('<p id="text">Text</p>') });
    expect(await layoutShift(opened)).to.equal(0);
    await opened.evaluate("document.querySelector('#text').before(document.createElement('hr'))");
    await opened.evaluate("document.querySelector('hr').style.height = '500px'");
    expect(await layoutShift(opened)).to.be.above(0);
  });

  it('accept an accessible page', async () => {
    expect(await fault(label)).to.equal(undefined);
  });
});
