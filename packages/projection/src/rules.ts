import { RULES, type Rules, type RulesModule, rulesModuleFaults, rulesWith } from '@vitrine/listing';
import { importModule } from '@vitrine/runtime/modules';
import { SettingsError } from '@vitrine/runtime/settings';

/**
 * The rules that a process uses: the built-in rules, together with the rules from the module that
 * RULES_MODULE names (docs/operate/rules-module.md).
 * @throws SettingsError that names all problems with the module
 */
export async function loadRules(
  { RULES_MODULE }: { RULES_MODULE?: string | undefined },
  env: NodeJS.ProcessEnv = process.env,
): Promise<Rules> {
  if (RULES_MODULE === undefined) return RULES;
  const wrong = (problems: readonly string[]) =>
    new SettingsError(problems.map((problem) => `RULES_MODULE: ${problem}`));
  const { value, fingerprint } = await importModule(RULES_MODULE, import.meta.url, env).catch(
    (error: Error) => {
      throw wrong([`the module ${error.message}`]);
    },
  );
  const faults = rulesModuleFaults(value);
  if (faults.length > 0) throw wrong(faults);
  return rulesWith(value as RulesModule, fingerprint);
}
