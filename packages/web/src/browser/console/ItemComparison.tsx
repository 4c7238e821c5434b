import { useTexts } from '../components/preferences.ts';
import type { ExplainedGeneration } from './api-types.ts';
import { Panel, ScrollFrame } from './Frame.tsx';
import { GenerationTitle } from './GenerationCard.tsx';
import { valueText } from './text-difference.ts';
import { TEXTS } from './texts.ts';

/** The item of a listing in each generation, side by side. Members that differ are marked. */
export function ItemComparison({
  generations,
  live,
}: {
  generations: readonly ExplainedGeneration[];
  live: number | undefined;
}) {
  const texts = useTexts(TEXTS);
  const sides = [...generations].sort(
    (a, b) => Number(b.number === live) - Number(a.number === live) || a.number - b.number,
  );
  const names = [...new Set(sides.flatMap(({ item }) => Object.keys(membersOf(item))))];
  if (names.length === 0) return null;
  const rows = names.map((name) => {
    const values = sides.map(({ item }) => JSON.stringify(membersOf(item)[name] ?? null));
    return { name, differs: new Set(values).size > 1 };
  });
  return (
    <Panel title={texts.itemTitle}>
      <ScrollFrame label={texts.itemTitle}>
        <table class="sides">
          <thead>
            <tr>
              <th scope="col">{texts.member}</th>
              {sides.map(({ number, role }) => (
                <th key={number} scope="col">
                  <GenerationTitle number={number} role={role} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, differs }) => (
              <tr key={name} class={differs ? 'differs' : undefined}>
                <th scope="row">
                  {name} {differs && <span class="chip warn">{texts.differs}</span>}
                </th>
                {sides.map(({ number, item }) => (
                  <td key={number} class="value">
                    {item ? (
                      name in item.feedItem ? (
                        valueText(membersOf(item)[name])
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
          </tbody>
        </table>
      </ScrollFrame>
    </Panel>
  );
}

const membersOf = (item: ExplainedGeneration['item']): Readonly<Record<string, unknown>> => ({
  ...item?.feedItem,
});
