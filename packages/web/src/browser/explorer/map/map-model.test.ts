import { readFileSync } from 'node:fs';
import { STATES } from '@vitrine/feed-index/state-names';
import { expect } from 'chai';
import type { FeedItem } from '../feed-page.ts';
import { cluster, fit, LABEL, type MapData, type Point, placeOf, zoom } from './map-model.ts';

const read = (part: string) => readFileSync(new URL(`brazil-${part}.json`, import.meta.url), 'utf8');
const map = { states: JSON.parse(read('states')), cities: JSON.parse(read('cities')) } as MapData;
const at = (city: string, state?: string) =>
  placeOf(map, { city, country: 'BR', ...(state !== undefined && { state }) });
/** The model does not read other members. */
const item = (id: number) => ({ id: String(id) }) as FeedItem;
const SIZE = { width: 374, height: 520 };
const CODES = STATES.map(({ code }) => code).sort();

describe('the map of the results', () => {
  it('has each state in at most 60 KB, and the cities of each state', () => {
    expect(Object.keys(map.states).sort()).to.deep.equal(CODES);
    expect(Object.keys(map.cities).sort()).to.deep.equal(CODES);
    expect(Buffer.byteLength(read('states'))).to.be.below(60_000);
  });

  it('places a listing in its city, whatever the spelling, and nowhere if the city is not known', () => {
    const point = at('São Paulo', 'SP');
    const [x, y] = [(74.5 - 46.6395) * 50, (5.75 + 23.5329) * 50].map(Math.round);
    expect(point).to.deep.equal({ x, y });
    for (const [city, state] of [['SAO PAULO', 'sp'], ['são  paulo', 'São Paulo'], ['São Paulo']])
      expect(at(city ?? '', state), `${city} ${state}`).to.deep.equal(point);
    expect(at('Búzios', 'RJ')).to.deep.equal(at('Armação dos Búzios'));
    expect(at('Bonito', 'MS')).not.to.deep.equal(at('Bonito', 'PE'));
    const unknown = [
      at('Bonito'),
      at('Paulo', 'SP'),
      at('São Paulo', 'RJ'),
      at('Lisboa', 'XX'),
      at('.*', 'SP'),
    ];
    expect(unknown.filter(Boolean)).to.deep.equal([]);
  });

  it('shows all results with their labels, and a region around a single city', () => {
    const points: Point[] = [at('Manaus'), at('Porto Alegre', 'RS'), at('Recife')].filter(
      (point) => point !== undefined,
    );
    const view = fit(points, SIZE);
    for (const { x, y } of points) {
      expect((x - view.x) / view.scale).to.be.within(LABEL.width / 2 - 1, SIZE.width - LABEL.width / 2 + 1);
      expect((y - view.y) / view.scale).to.be.within(LABEL.height - 1, SIZE.height - LABEL.height + 1);
    }
    expect(fit(points.slice(0, 1), SIZE).scale).to.equal(0.6);
    expect(fit([], SIZE).scale).to.be.above(view.scale);
  });

  it('joins listings whose labels would hide each other, and loses none', () => {
    const placed = Array.from({ length: 100 }, (_, index) => ({
      item: item(index),
      point: { x: (index * 397) % 1_900, y: (index * 641) % 1_900 },
    }));
    for (const scale of [0.2, 1, 3, 8]) {
      const markers = cluster(placed, { x: 0, y: 0, scale });
      expect(markers.flatMap(({ items }) => items)).to.have.length(100);
      for (const [index, { point }] of markers.entries())
        for (const other of markers.slice(index + 1))
          expect(
            Math.abs(point.x - other.point.x) >= LABEL.width * scale ||
              Math.abs(point.y - other.point.y) >= LABEL.height * scale,
          ).to.equal(true);
    }
    const same = placed.slice(0, 1);
    const [together] = cluster([...same, ...same], { x: 0, y: 0, scale: 1 });
    expect(together?.isSpread).to.equal(false);
  });

  it('keeps its center when the view comes closer, down to a limit', () => {
    const view = fit([], SIZE);
    const center = ({ x, scale }: typeof view) => x + (scale * SIZE.width) / 2;
    const closer = zoom(view, 0.5, SIZE);
    expect(closer.scale).to.equal(view.scale / 2);
    expect(center(closer)).to.be.closeTo(center(view), 0.001);
    expect(zoom(view, 1e-9, SIZE).scale).to.equal(0.1);
    expect(zoom(view, 1e9, SIZE).scale).to.equal(12);
  });
});
