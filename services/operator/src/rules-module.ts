import {
  describeMismatch,
  GenerationError,
  type GenerationRecord,
  hasSameModule,
  isChangedModule,
  moduleOf,
  type Registry,
  type RulesVersion,
} from '@vitrine/feed-index';
import { versionsWith } from '@vitrine/projection/generations';

interface OwnRules {
  version: RulesVersion;
}

/**
 * Refuses to explain a generation with rules that do not come from its module. Another version of the same
 * module is allowed, because operators look at the live generation while they change the module.
 * @throws GenerationError that names the module
 */
export function assertKnownModule(record: GenerationRecord, rules: OwnRules): void {
  const built = moduleOf(record.versions.rules);
  const isKnown =
    !built ||
    (moduleOf(rules.version)?.name === built.name && !isChangedModule(record.versions.rules, rules.version));
  if (!isKnown) throw new GenerationError(describeMismatch(record, versionsWith(rules)));
}

/**
 * Refuses to compare a generation by rules other than those that built it, because nothing would explain its
 * differences.
 * @throws GenerationError that names both modules
 */
export function assertSameModule(record: GenerationRecord, rules: OwnRules): void {
  if (!hasSameModule(record.versions.rules, rules.version))
    throw new GenerationError(describeMismatch(record, versionsWith(rules)));
}

/**
 * Refuses a build that lacks the live generation's module by mistake. Also refuses a module whose content
 * changed but whose version did not, because one name and version must always mean the same rules.
 * @param withoutModule whether the operator wants a generation without the module
 * @throws GenerationError
 */
export function assertBuildable(
  { generations }: Registry,
  live: number | undefined,
  rules: OwnRules,
  withoutModule: boolean,
): void {
  const ours = versionsWith(rules);
  if (withoutModule && moduleOf(rules.version))
    throw new GenerationError('--without-rules-module contradicts RULES_MODULE. Remove one of them');
  const changed = generations.find(({ versions }) => isChangedModule(versions.rules, rules.version));
  if (changed) throw new GenerationError(describeMismatch(changed, ours));
  const record = generations.find(({ number }) => number === live);
  if (record && moduleOf(record.versions.rules) && !moduleOf(rules.version) && !withoutModule)
    throw new GenerationError(
      `${describeMismatch(record, ours)}, or add --without-rules-module to build a generation without it`,
    );
}
