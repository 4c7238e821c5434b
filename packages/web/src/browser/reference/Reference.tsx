import { useEffect, useRef, useState } from 'preact/hooks';
import { PublicHeader } from '../components/PublicHeader.tsx';
import { useIsDark, useTexts } from '../components/preferences.ts';
import { changeScalarTheme, mountScalar } from './scalar.ts';
import { repairScalar } from './scalar-accessibility.ts';

const TEXTS = {
  en: {
    reference: 'API reference',
    note: '',
    loading: 'The reference is loading …',
    failed: 'The reference could not be loaded. Reload the page, or read the OpenAPI document.',
    document: 'OpenAPI document',
    events: 'Event contract (AsyncAPI)',
  },
  'pt-BR': {
    reference: 'Referência da API',
    note: 'As descrições da API estão em inglês.',
    loading: 'A referência está carregando …',
    failed: 'Não foi possível carregar a referência. Recarregue a página ou leia o documento OpenAPI.',
    document: 'Documento OpenAPI',
    events: 'Contrato dos eventos (AsyncAPI)',
  },
};

export interface ReferenceProps {
  /** The absolute URL of the base path, with a slash at its end. */
  base: string;
  /** The URL of Scalar's script. */
  script: string;
}

/** The API reference below its header. Scalar brings the landmark `main`. */
export function Reference({ base, script }: ReferenceProps) {
  const texts = useTexts(TEXTS);
  const isDark = useIsDark();
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    if (!place.current) return;
    const endRepair = repairScalar(place.current);
    mountScalar(place.current, { script, base, isDark }).then(
      () => setState('shown'),
      () => setState('failed'),
    );
    return endRepair;
  }, []);
  useEffect(() => {
    if (state === 'shown') changeScalarTheme(isDark);
  }, [state, isDark]);
  return (
    <>
      <PublicHeader current="reference" feeds={base} />
      <aside class="reference-note small soft" aria-label={texts.reference}>
        {texts.note !== '' && <span>{texts.note}</span>}
        <span>
          <a href={`${base}openapi.json`}>{texts.document}</a> ·{' '}
          <a href={`${base}asyncapi.json`}>{texts.events}</a>
        </span>
      </aside>
      {state !== 'shown' && (
        <main class="plain">
          <p role={state === 'failed' ? 'alert' : 'status'}>{texts[state]}</p>
        </main>
      )}
      <div ref={place} lang="en" />
    </>
  );
}
