import type { Random } from '@vitrine/fixtures';

/** The colors at an hour of the day. All parts of a picture share them. */
export interface Light {
  /** From the top to the horizon. */
  sky: readonly [string, string];
  sun: string;
  cloud: string;
  /** From far to near. */
  hills: readonly [string, string, string];
  grass: string;
  water: readonly [string, string];
  sand: string;
  road: string;
  pane: string;
  isNight: boolean;
}

const LIGHTS: readonly [Light, ...Light[]] = [
  {
    sky: ['#6fb7e6', '#d8f0f6'],
    sun: '#fff3c4',
    cloud: '#ffffff',
    hills: ['#9cc7c1', '#6faa8d', '#4c8a63'],
    grass: '#79b35c',
    water: ['#2f8fbf', '#7fd0dc'],
    sand: '#f1ddb0',
    road: '#8b9097',
    pane: '#bfe3f2',
    isNight: false,
  },
  {
    sky: ['#3f9ad9', '#bfe6f5'],
    sun: '#ffe9a0',
    cloud: '#f7fcff',
    hills: ['#86b9c9', '#5d9f86', '#3b7d58'],
    grass: '#6aa84f',
    water: ['#1d7fb5', '#5cc4d6'],
    sand: '#f5e2b8',
    road: '#7d838b',
    pane: '#a9d8ef',
    isNight: false,
  },
  {
    sky: ['#f08a5d', '#fde2b3'],
    sun: '#fff0c2',
    cloud: '#ffd9c2',
    hills: ['#c98f86', '#95716f', '#5f5a5c'],
    grass: '#8d9a52',
    water: ['#b0657a', '#f6b98c'],
    sand: '#eac79a',
    road: '#77696c',
    pane: '#ffe0a3',
    isNight: false,
  },
  {
    sky: ['#31386b', '#e58f8a'],
    sun: '#ffd9a0',
    cloud: '#c98fa0',
    hills: ['#6b5d86', '#4b4a70', '#333a57'],
    grass: '#4f6b58',
    water: ['#3a3f78', '#c77f93'],
    sand: '#b99a8c',
    road: '#4d4b5c',
    pane: '#ffd98a',
    isNight: true,
  },
];

/** Chooses an hour of the day. Most pictures show daylight. */
export const chooseLight = (random: Random): Light => (random.chance(0.4) ? LIGHTS[0] : random.pick(LIGHTS));

export const PAINTS = ['#d94f3d', '#2f6f9f', '#e0a526', '#3d8b6e', '#8a5a9e', '#e07a4f', '#44566c'] as const;
export const WALLS = ['#f4ead8', '#e9d3b4', '#f3c9a5', '#dfe6e4', '#f7f3ec', '#cfdfe0', '#f0d9c9'] as const;
export const ROOFS = ['#b5533c', '#8c4a3b', '#6b4d46', '#a8683f', '#555f6b'] as const;

/** Two colors that belong together. */
export type Colors = readonly [string, string];
