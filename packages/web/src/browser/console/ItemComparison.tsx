import type { ExplainedGeneration } from './api-types.ts';
import { Panel } from './Frame.tsx';
import { Table } from './Table.tsx';
import { valueText } from './text-difference.ts';
import { useWords } from './use-words.ts';

/** A listing's item in each generation, side by side. Members that differ are marked. */
export function ItemComparison({ generations }: { generations: readonly ExplainedGeneration[] }) {
  const { texts } = useWords();
  const sides = generations.map(({ number, role, item }) => ({
    head: `${texts.generation} ${number} (${texts.roles[role] ?? role})`,
    members: item && ({ ...item.feedItem } as Record<string, unknown>),
  }));
  const names = [...new Set(sides.flatMap(({ members = {} }) => Object.keys(members)))];
  const differs = (name: string) =>
    new Set(sides.map(({ members }) => JSON.stringify(members?.[name] ?? null))).size > 1;
  if (names.length === 0) return null;
  return (
    <Panel title={texts.itemTitle}>
      <Table
        label={texts.itemTitle}
        class="sides"
        rows={names}
        keyOf={(name) => name}
        kindOf={(name) => (differs(name) ? 'differs' : '')}
        columns={[
          [
            texts.member,
            (name) => (
              <>
                {name} {differs(name) && <span class="chip warn">{texts.differs}</span>}
              </>
            ),
            'name',
          ],
          ...sides.map(
            ({ head, members }) =>
              [
                head,
                (name: string) =>
                  members && name in members ? (
                    <span translate={false}>{valueText(members[name])}</span>
                  ) : (
                    <em class="soft">{members ? texts.absent : texts.noItem}</em>
                  ),
                'value',
              ] as const,
          ),
        ]}
      />
    </Panel>
  );
}
