import { isDeepStrictEqual } from 'node:util';
import {
  type Conditional,
  type FlatSchema,
  includes,
  intersection,
  isObject,
  listOf,
} from './flat-schema.ts';

/** The rules, with those of the same condition joined, because all of them apply. Pure. */
export function mergedRules(rules: readonly Conditional[]): Conditional[] {
  const merged: Conditional[] = [];
  for (const rule of rules) {
    const same = ruleFor(merged, rule.condition);
    if (!same) merged.push({ ...rule });
    else {
      same.matching = intersection(same.matching, rule.matching);
      same.others = intersection(same.others, rule.others);
    }
  }
  return merged;
}

/** The rule with a condition. */
export const ruleFor = (rules: readonly Conditional[], condition: unknown): Conditional | undefined =>
  rules.find((rule) => isDeepStrictEqual(rule.condition, condition));

/**
 * Whether a condition selects only new values of a member that already selects the rules of the old schema,
 * such as a new event type. Such values had no meaning before, so rules for them break no producer. Pure.
 */
export function isNewCase(condition: unknown, before: FlatSchema): boolean {
  const found = caseOf(condition);
  if (!found) return false;
  const { name, values, required } = found;
  // A condition is also true for a value without the member, and for a value that is no object.
  if (before.types?.join() !== 'object' || !(required || before.required.includes(name))) return false;
  const about = before.conditionals.filter((rule) => mentions(rule.condition, name));
  const cases = about.map((rule) => caseOf(rule.condition)).filter((one) => one?.name === name);
  return (
    cases.length > 0 &&
    cases.length === about.length &&
    !cases.some((one) => values.some((value) => includes(one?.values, value)))
  );
}

interface Case {
  name: string;
  values: unknown[];
  /** Whether the condition is false for an object without the member. */
  required: boolean;
}

/** The member and its values, if a condition compares one member with values. */
function caseOf(condition: unknown): Case | undefined {
  if (!isObject(condition) || !isObject(condition.properties)) return;
  const [member, another] = Object.entries(condition.properties);
  if (!member || another) return;
  const [name, schema] = member;
  if (!isObject(schema)) return;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  return Array.isArray(values)
    ? { name, values, required: listOf(condition.required).includes(name) }
    : undefined;
}

/** Whether a condition contains a name, at any depth. */
const mentions = (condition: unknown, name: string): boolean =>
  JSON.stringify(condition).includes(JSON.stringify(name));
