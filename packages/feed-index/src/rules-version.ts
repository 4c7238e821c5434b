/**
 * The version of the rules that derive items: the number of the built-in rules, or this number and the module
 * that adds to them, such as `2+shop@3:9f86d081884c`. A release without modules compares the version with its
 * own number, so it never writes a generation that was built with a module
 * (docs/decisions/0115-rules-modules.md).
 */
export type RulesVersion = number | `${number}+${string}`;

/** The identity of a rules module. */
export interface ModuleVersion {
  name: string;
  version: number;
  /** The beginning of the file's SHA-256, in hexadecimal. */
  fingerprint: string;
}

/** The version of the built-in rules with a module. Pure. */
export const withModule = (builtIn: number, { name, version, fingerprint }: ModuleVersion): RulesVersion =>
  `${builtIn}+${name}@${version}:${fingerprint}`;

/** The module that a version names. It is undefined for the built-in rules alone. Pure. */
export function moduleOf(rules: RulesVersion): ModuleVersion | undefined {
  const [, name, version, fingerprint] = /^\d+\+(.+)@(\d+):([0-9a-f]+)$/.exec(String(rules)) ?? [];
  return name === undefined || fingerprint === undefined
    ? undefined
    : { name, version: Number(version), fingerprint };
}

/** Describes a version for people, for example `2 with module shop version 3 (9f86d081884c)`. Pure. */
export function describeRules(rules: RulesVersion): string {
  const module = moduleOf(rules);
  if (!module) return String(rules);
  const { name, version, fingerprint } = module;
  return `${Number.parseInt(String(rules), 10)} with module ${name} version ${version} (${fingerprint})`;
}

/** Whether the modules of two versions have the same name and version, but other content. Pure. */
export function isChangedModule(one: RulesVersion, other: RulesVersion): boolean {
  const [a, b] = [moduleOf(one), moduleOf(other)];
  return a?.name === b?.name && a?.version === b?.version && a?.fingerprint !== b?.fingerprint;
}

/** Whether the modules of two versions are the same, or both versions have none. Pure. */
export const hasSameModule = (one: RulesVersion, other: RulesVersion): boolean => {
  const [a, b] = [moduleOf(one), moduleOf(other)];
  return a?.name === b?.name && a?.version === b?.version && a?.fingerprint === b?.fingerprint;
};

/**
 * The information that an operator needs if a generation and a process have different modules. Pure.
 * @param theirs the version with which the generation was built
 * @param ours the version of the process
 * @returns an empty string if the versions differ in another way
 */
export function moduleAdvice(theirs: RulesVersion, ours: RulesVersion): string {
  const [built, own] = [moduleOf(theirs), moduleOf(ours)];
  if (isChangedModule(theirs, ours))
    return '. The content of the module changed, but its version did not. Restore the content, or raise the version';
  if (built && own?.name !== built.name)
    return `. Set RULES_MODULE to the module ${built.name} version ${built.version}`;
  return '';
}
