import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { ADDRESSES } from '../addresses.ts';
import type { ListingLink } from '../detail/links.tsx';
import { type FeedItem, readJson } from '../feed-page.ts';
import { useRetried } from '../use-retried.ts';
import { useWords } from '../use-words.ts';
import { MapMarkers } from './MapMarkers.tsx';
import { MarkerListings } from './MarkerListings.tsx';
import {
  CLOSEST,
  cluster,
  fit,
  type MapData,
  type Marker,
  type Point,
  pan,
  placeOf,
  type Size,
  type View,
  zoom,
} from './map-model.ts';

export interface ResultsMapProps {
  link: ListingLink;
  items: readonly FeedItem[];
}

const ZOOM = 1.8;
const STEP_PX = 60;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP_PX, 0],
  ArrowRight: [STEP_PX, 0],
  ArrowUp: [0, -STEP_PX],
  ArrowDown: [0, STEP_PX],
};

/** A map of Brazil with the listings on a page. Listings in unknown places are only in the list. */
export function ResultsMap({ items, link }: ResultsMapProps) {
  const { texts, plural } = useWords();
  const frame = useRef<HTMLFieldSetElement>(null);
  const size = useSize(frame);
  const { value: map } = useRetried('map', (signal) => readJson<MapData>(ADDRESSES.map, signal));
  const [chosen, setChosen] = useState<View>();
  const [opened, setOpened] = useState<readonly FeedItem[]>();
  const page = items.map(({ id }) => id).join();
  useEffect(() => {
    setChosen(undefined);
    setOpened(undefined);
  }, [page]);
  const placed = map
    ? items.flatMap((item) => {
        const point = placeOf(map, item.location);
        return point ? [{ item, point }] : [];
      })
    : [];
  const pointsOf = (shown: readonly FeedItem[]): Point[] =>
    placed.flatMap(({ item, point }) => (shown.includes(item) ? [point] : []));
  const view = chosen ?? fit(pointsOf(items), size);
  const drag = useDrag((right, down) => setChosen(pan(view, right, down)));
  const select = ({ items: shown, isSpread }: Marker) => {
    const [first] = shown;
    if (shown.length === 1 && first) return link.onOpen(first.id);
    // Neighboring cities are in one list, because no view separates them.
    if (!isSpread || view.scale <= CLOSEST) return setOpened(shown);
    // The focused marker may disappear.
    frame.current?.focus();
    setChosen(fit(pointsOf(shown), size, CLOSEST));
  };
  const unplaced = map ? items.length - placed.length : 0;
  const tool = (label: string, sign: string, onClick: () => void) => (
    <Button kind="compact" aria-label={label} title={label} onClick={onClick}>
      {sign}
    </Button>
  );
  return (
    <section class="card results-map" aria-label={texts.map}>
      <fieldset
        class="map-frame"
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the map
        tabIndex={0}
        aria-label={`${texts.mapOf}. ${texts.mapKeys}`}
        onKeyDown={(event) => {
          const step = ARROWS[event.key];
          if (step === undefined || event.target !== event.currentTarget) return;
          event.preventDefault();
          setChosen(pan(view, ...step));
        }}
        {...drag}
      >
        {map && size.width > 0 && (
          <>
            <Outline map={map} view={view} size={size} />
            <MapMarkers
              markers={cluster(placed, view)}
              view={view}
              size={size}
              state={link.state}
              onSelect={select}
            />
          </>
        )}
        {opened && (
          <MarkerListings
            items={opened}
            onClose={() => {
              setOpened(undefined);
              frame.current?.focus();
            }}
            link={link}
          />
        )}
      </fieldset>
      <div class="row map-tools">
        <p class="soft small map-note">
          {texts.mapNote} {unplaced > 0 && `${texts.unplaced}: ${plural(unplaced, texts.listings)}.`}
        </p>
        {tool(texts.closer, '+', () => setChosen(zoom(view, 1 / ZOOM, size)))}
        {tool(texts.farther, '−', () => setChosen(zoom(view, ZOOM, size)))}
        {tool(texts.wholeMap, '⤢', () => setChosen(undefined))}
      </div>
    </section>
  );
}

/** The states, with their codes. */
function Outline({ map, view, size }: { map: MapData; view: View; size: Size }) {
  const { x, y, scale } = view;
  return (
    <svg viewBox={`${x} ${y} ${size.width * scale} ${size.height * scale}`} aria-hidden="true">
      {Object.entries(map.states).map(([code, { path }]) => (
        <path key={code} d={path} />
      ))}
      {Object.entries(map.states).map(([code, { label }]) => (
        <text key={code} x={label[0]} y={label[1]} font-size={11 * scale}>
          {code.toUpperCase()}
        </text>
      ))}
    </svg>
  );
}

/**
 * Reports by how many pixels a pointer is dragged. A touch that moves down scrolls the page (`touch-action`).
 */
function useDrag(onDrag: (right: number, down: number) => void) {
  const last = useRef<Point | undefined>(undefined);
  const end = () => {
    last.current = undefined;
  };
  return {
    onPointerDown: ({ target, currentTarget, pointerId, clientX: x, clientY: y }: PointerEvent) => {
      if ((target as Element).closest('button, .marker-listings')) return;
      (currentTarget as Element).setPointerCapture(pointerId);
      last.current = { x, y };
    },
    onPointerMove: ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!last.current) return;
      onDrag(last.current.x - x, last.current.y - y);
      last.current = { x, y };
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

/** The current size of an element, 0 before its first layout. */
function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: current.clientWidth, height: current.clientHeight }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return size;
}
