import { stateCodeOf } from '@vitrine/feed-index';
import { spellingsOf } from '../../filters/apostrophes.ts';
import { cityAndState } from '../../filters/city-state.ts';
import { clipped } from '../answer-text.ts';
import { SHORT_NAMES } from './city-names.ts';
import { typingErrors } from './typing-errors.ts';

/** A value that exists, its text for people, and the number of listings with it. */
export interface SuggestedValue {
  value: string;
  label: string;
  count: number;
}

const MAX_TYPING_ERRORS = 2;
const SAME_BEGINNING = 4;
const MAX_SUGGESTIONS = 5;
/** Two errors can turn a shorter word into another word. */
const MIN_WORD_WITH_ERRORS = 6;
/** Maximum number of words of a value that are compared one by one. No city's name has more words. */
const MAX_WORDS = 8;
/** The longest name of a state, "rio-grande-do-norte", has four words. */
const MAX_STATE_WORDS = 4;
/** No argument can contain a longer value. */
const MAX_VALUE_CHARACTERS = 200;

/** The distance between a value and a text. A smaller number means that the value is nearer. */
type Distance = number;
const CONTAINED: Distance = MAX_TYPING_ERRORS + 1;
const SAME_FOUR_CHARACTERS: Distance = MAX_TYPING_ERRORS + 2;

/**
 * Returns the values that a text names, in the given order. A text names a value if it is the beginning of a
 * word of the value, if all its words are words of the value, or if it is a short name of the value
 * (SHORT_NAMES). A state at the end of the text excludes the values from other states.
 * @param slug the slug of the text. Every value matches the empty slug.
 */
export function matchingValues<Value extends SuggestedValue>(
  slug: string,
  values: readonly Value[],
): Value[] {
  const wanted = wantedOf(slug);
  return namesOf(values, wanted)
    .filter((name) => slug === '' || wanted.forms.some((form) => isNamed(form, name)))
    .map(({ value }) => value);
}

/**
 * Returns the values near a text. These are the values that it names. If it names none, they are the values
 * within two typing errors (of the whole value or of one word), the values whose words are all in the text,
 * and the values with the same first four characters. Nearer values come first, then more frequent ones. If
 * no value is in the state that the text names, values in other states count.
 * @param values most frequent first
 */
export function nearValues(slug: string, values: readonly SuggestedValue[]): SuggestedValue[] {
  if (slug === '') return [];
  const near = [
    () => matchingValues(slug, values),
    () => resembling(slug, values),
    () => matchingValues(wantedOf(slug).forms.at(-1)?.slug ?? slug, values),
  ];
  for (const find of near) {
    const found = find();
    if (found.length > 0)
      return found
        .slice(0, MAX_SUGGESTIONS)
        .map(({ value, label, count }) => ({ value, label: clipped(label), count }));
  }
  return [];
}

function resembling(slug: string, values: readonly SuggestedValue[]): SuggestedValue[] {
  const wanted = wantedOf(slug);
  return namesOf(values, wanted)
    .map((name) => ({
      value: name.value,
      distance: Math.min(...wanted.forms.map((form) => distanceOf(form, name))),
    }))
    .filter(({ distance }) => distance <= SAME_FOUR_CHARACTERS)
    .sort((a, b) => a.distance - b.distance)
    .map(({ value }) => value);
}

/** A text in the form in which it is compared with values. */
interface Wanted {
  /** The text as it was written, and the text without the state at its end. */
  forms: { slug: string; spellings: readonly string[]; words: ReadonlySet<string> }[];
  state: string | undefined;
}

function wantedOf(slug: string): Wanted {
  const words = slug.split('-');
  const form = (count: number) => {
    const first = words.slice(0, count);
    const name = first.join('-');
    return { slug: name, spellings: spellingsOf(name), words: new Set(first) };
  };
  for (let count = Math.max(words.length - MAX_STATE_WORDS, 1); count < words.length; count++) {
    const state = stateCodeOf(words.slice(count).join('-'));
    if (state !== undefined) return { forms: [form(words.length), form(count)], state };
  }
  return { forms: [form(words.length)], state: undefined };
}

type Form = Wanted['forms'][number];

/** A value, and how people write it without its state. */
interface Name<Value> {
  slug: string;
  value: Value;
}

const namesOf = <Value extends SuggestedValue>(values: readonly Value[], { state }: Wanted): Name<Value>[] =>
  values.flatMap((value) => {
    if (value.value.length > MAX_VALUE_CHARACTERS) return [];
    const place = cityAndState(value.value);
    const isElsewhere = state !== undefined && place !== undefined && place.state !== state;
    return isElsewhere ? [] : [{ slug: place?.city ?? value.value, value }];
  });

function isNamed(form: Form, { slug }: Name<unknown>): boolean {
  if (form.spellings.some((text) => slug.startsWith(text) || slug.includes(`-${text}`))) return true;
  if (SHORT_NAMES[form.slug] === slug) return true;
  if (form.words.size < 2) return false;
  const words = `-${slug}-`;
  for (const word of form.words) if (!words.includes(`-${word}-`)) return false;
  return true;
}

function distanceOf(form: Form, { slug }: Name<unknown>): Distance {
  const words = slug.split('-', MAX_WORDS);
  const longWords = words.length > 1 ? words.filter((word) => word.length >= MIN_WORD_WITH_ERRORS) : [];
  const errors = Math.min(
    ...[slug, ...longWords].map((name) => typingErrors(form.slug, name, MAX_TYPING_ERRORS)),
  );
  if (errors <= MAX_TYPING_ERRORS) return errors;
  if (words.every((word) => form.words.has(word))) return CONTAINED;
  const beginning = form.slug.slice(0, SAME_BEGINNING);
  return beginning.length === SAME_BEGINNING && slug.startsWith(beginning)
    ? SAME_FOUR_CHARACTERS
    : Number.POSITIVE_INFINITY;
}
