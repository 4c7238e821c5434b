import { createHash } from 'node:crypto';
import { Random } from '@vitrine/fixtures';
import { type Backdrop, beach, city, country, definitions, park, serra, studio } from './backdrops.ts';
import { apartments, beachHouse, chalet, farm, lot, type Subject } from './homes.ts';
import { bedroom, kitchen, livingRoom, poolside } from './interiors.ts';
import { chooseLight } from './light.ts';
import { camera, cleaning, dogs, electrician, musicLesson, painting, party, wedding } from './services.ts';
import { HEIGHT, WIDTH } from './shapes.ts';
import { couch, guitar, laptop, lesson, surfboards, tools } from './things.ts';
import { car, motorcycle, motorhome, truck } from './vehicles.ts';

/** What one picture shows: a subject in front of a backdrop. */
interface Motif {
  backdrop: Backdrop;
  subject: Subject;
}

const before = (backdrop: Backdrop, subject: Subject): Motif => ({ backdrop, subject });
/** A picture of a room needs no backdrop. */
const inside = (subject: Subject): Motif => ({ backdrop: () => '', subject });

const ROOMS = [inside(livingRoom), inside(bedroom), inside(kitchen)] as const;
const OTHER = [before(city, apartments), before(country, beachHouse), before(studio, couch)] as const;

/**
 * The motifs of each sub-category, by its slug. A listing's pictures use the motifs in turn. A dwelling's
 * pictures begin with its outside.
 */
const MOTIFS: Readonly<Record<string, readonly [Motif, ...Motif[]]>> = {
  apartamento: [before(city, apartments), ...ROOMS],
  'casa-de-praia': [before(beach, beachHouse), inside(poolside), ...ROOMS],
  chale: [before(serra, chalet), inside(bedroom), inside(livingRoom)],
  'salao-de-festas': [before(park, party), before(studio, party)],
  sitio: [before(country, farm), inside(poolside), inside(bedroom)],
  motorhome: [before(serra, motorhome), before(beach, motorhome), inside(kitchen)],
  ferramentas: [before(studio, tools)],
  terreno: [before(country, lot), before(serra, lot)],
  carros: [before(city, car), before(beach, car), before(studio, car)],
  motos: [before(city, motorcycle), before(serra, motorcycle), before(studio, motorcycle)],
  notebooks: [before(studio, laptop)],
  sofas: [before(studio, couch), inside(livingRoom)],
  'pranchas-de-surf': [before(beach, surfboards), before(studio, surfboards)],
  violoes: [before(studio, guitar)],
  diarista: [before(studio, cleaning), inside(kitchen), inside(livingRoom)],
  pintura: [before(studio, painting)],
  eletrica: [before(studio, electrician)],
  ingles: [before(studio, lesson)],
  violao: [before(studio, musicLesson)],
  casamento: [before(park, wedding), before(studio, camera), before(beach, wedding)],
  passeador: [before(park, dogs), before(beach, dogs)],
  carreto: [before(city, truck), before(serra, truck)],
};

/**
 * Draws a picture of a listing as SVG. Equal arguments produce the same picture. Pure.
 * @param kind the slug of the sub-category; an unknown kind also gets a picture
 * @param number the number of the picture, from 1
 */
export function drawScene(kind: string, listingId: string, number: number): string {
  const motifs = (Object.hasOwn(MOTIFS, kind) && MOTIFS[kind]) || OTHER;
  const seed = createHash('sha256').update(`${kind} ${listingId} ${number}`).digest().readInt32LE();
  const random = new Random(seed);
  const light = chooseLight(random);
  const { backdrop, subject } = motifs[(number - 1) % motifs.length] ?? motifs[0];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">` +
    `${definitions(light)}${backdrop(random, light)}${subject(random, light)}</svg>`
  );
}
