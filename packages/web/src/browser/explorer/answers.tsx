import { JsonView } from '../components/JsonView.tsx';

/** Facts with their names. A fact without a text is left out. */
export const FactList = ({ facts }: { facts: readonly (readonly [name: string, text: string])[] }) => (
  <dl class="fact-list">
    {facts.map(
      ([name, text]) =>
        text && (
          <div key={name}>
            <dt class="soft small">{name}</dt>
            <dd class="number">{text}</dd>
          </div>
        ),
    )}
  </dl>
);

/** Text for programs, such as JSON. */
export const Code = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
  <pre class="code" tabIndex={0}>
    {text}
  </pre>
);

/** The service's answer as JSON. */
export const Json = ({ value, open = false }: { value: unknown; open?: boolean }) => (
  <div class="json">
    <JsonView value={value} name="JSON" open={open} />
  </div>
);
