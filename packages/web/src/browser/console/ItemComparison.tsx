import type { ExplainedGeneration } from './api-types.ts';
import { Panel } from './Frame.tsx';
import { GenerationTitle } from './GenerationCard.tsx';
import { Table } from './Table.tsx';
import { valueText } from './text-difference.ts';
import { useWords } from './use-words.ts';

/** The item of a listing in each generation, side by side. Members that differ are marked. */
export function ItemComparison({ generations }: { generations: readonly ExplainedGeneration[] }) {
  const { texts } = useWords();
  const sides = [...generations].sort(
    (a, b) => Number(b.role === 'live') - Number(a.role === 'live') || a.number - b.number,
  );
  const names = [...new Set(sides.flatMap(({ item }) => Object.keys(membersOf(item))))];
  if (names.length === 0) return null;
  const rows = names.map((name) => {
    const values = sides.map(({ item }) => JSON.stringify(membersOf(item)[name] ?? null));
    return { name, differs: new Set(values).size > 1 };
  });
  return (
    <Panel title={texts.itemTitle}>
      <Table
        label={texts.itemTitle}
        class="sides"
        columns={[
          texts.member,
          ...sides.map(({ number, role }) => <GenerationTitle key={number} number={number} role={role} />),
        ]}
      >
        {rows.map(({ name, differs }) => (
          <tr key={name} class={differs ? 'differs' : undefined}>
            <th scope="row">
              {name} {differs && <span class="chip warn">{texts.differs}</span>}
            </th>
            {sides.map(({ number, item }) => (
              <td key={number} class="value">
                {item ? (
                  name in item.feedItem ? (
                    <span translate={false}>{valueText(membersOf(item)[name])}</span>
                  ) : (
                    <em class="soft">{texts.absent}</em>
                  )
                ) : (
                  <em class="soft">{texts.noItem}</em>
                )}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

const membersOf = (item: ExplainedGeneration['item']): Readonly<Record<string, unknown>> => ({
  ...item?.feedItem,
});
