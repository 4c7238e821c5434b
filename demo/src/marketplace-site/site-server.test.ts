import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { drawScene } from './scenes/scene.ts';
import { startSite } from './site-server.ts';

const HOSTILE = '<img src=x onerror="alert(1)">';
const PRODUCT = {
  id: 'a b/ç',
  title: HOSTILE,
  description: { plain: HOSTILE },
  price_range: { min: { amount: 12_345 } },
  media: [{ url: 'https://a.example/"><script>' }],
  variants: [{ seller: { name: HOSTILE } }],
  metadata: {
    ad_type: 'rent',
    location: { city: HOSTILE },
    calendar: [
      { from: '2026-12-30', to: '2027-01-02', available: true, price: { amount: 20_000 } },
      { from: '2027-01-03', to: '2027-01-03', available: false, price: { amount: 20_000 } },
    ],
  },
};

describe("the website of the demo's marketplace", () => {
  let service: Server;
  let asked: unknown[] = [];
  let site: string;
  let stop: () => Promise<void>;

  before(async () => {
    service = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      asked.push(JSON.parse(body));
      const { id } = JSON.parse(body) as { id: string };
      if (id === 'broken') response.statusCode = 503;
      if (id === 'too-many') response.statusCode = 429;
      if (id === 'too-large') response.write(`"${'x'.repeat(16 * 1024 * 1024)}`);
      response.end(JSON.stringify(id === PRODUCT.id ? { product: PRODUCT } : { messages: [] }));
    }).listen(0);
    await once(service, 'listening');
    const feedsUrl = `http://localhost:${(service.address() as AddressInfo).port}/api`;
    const probe = createServer().listen(0);
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    stop = await startSite({ port, feedsUrl, explorerUrl: 'http://localhost:1/' });
    site = `http://localhost:${port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  after(async () => {
    await stop();
    service.closeAllConnections();
    service.close();
    expect(await fetch(site).catch(() => 'refused')).to.equal('refused');
  });

  const read = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${site}${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it('shows a listing, and never its texts as markup', async () => {
    const { status, text, headers } = await read(`/catalogo/${encodeURIComponent(PRODUCT.id)}`);
    expect(status).to.equal(200);
    expect(asked).to.deep.equal([{ id: PRODUCT.id }]);
    expect(text).to.include('123,45').and.to.include('por diária').and.to.include('janeiro de 2027');
    expect(text).to.include('<td class="free">2<i>200</i></td></tr><tr><td class="taken">3</td>');
    expect(text).not.to.include('<img src=x').and.not.to.include('<script');
    expect(headers.get('Content-Security-Policy')).to.include("default-src 'none'");
  });

  it('answers every other request with a page that says why', async () => {
    expect((await read('/catalogo/missing')).status).to.equal(404);
    for (const id of ['broken', 'too-many', 'too-large']) {
      const { status, headers } = await read(`/catalogo/${id}`);
      expect(status, id).to.equal(503);
      expect(headers.get('Retry-After'), id).to.equal('5');
    }
    for (const path of ['/catalogo', '/catalogo/%E0%A4%A', '/imagens/a/b/0.svg', '/imagens/../x/1.svg', '/x'])
      expect((await read(path)).status, path).to.equal(404);
    expect((await read('/', { method: 'POST' })).status).to.equal(405);
  });

  it('draws the same picture for the same listing, and different ones for others', async () => {
    const { status, text, headers } = await read('/imagens/chale/demo-rent-00001/1.svg');
    expect(status).to.equal(200);
    expect(headers.get('Content-Type')).to.equal('image/svg+xml');
    expect(text).to.equal(drawScene('chale', 'demo-rent-00001', 1));
    const kinds = ['chale', 'carros', 'toString', 'nothing-known'];
    const drawn = kinds.flatMap((kind) => [1, 2, 3, 99].map((number) => drawScene(kind, 'a', number)));
    expect(new Set(drawn).size).to.equal(16);
    for (const picture of drawn) expect(picture).not.to.match(/NaN|undefined/);
  });
});
