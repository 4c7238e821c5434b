import { useEffect, useRef, useState } from 'preact/hooks';
import { useIsDark } from '../components/preferences.ts';
import { changeScalarTheme, mountScalar } from './scalar.ts';
import { openForm, repairScalar } from './scalar-accessibility.ts';

export interface ReaderProps {
  /** The absolute URL of the base path, with a slash at its end. */
  base: string;
  /** The id of the operation that the reader shows. */
  operation: string;
  /** The URL of Scalar's script. */
  script: string;
  texts: { loading: string; failed: string };
}

/** The form that sends a request: one operation in the reader of the OpenAPI document. */
export function Reader({ base, operation, script, texts }: ReaderProps) {
  const isDark = useIsDark();
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const endRepair = repairScalar(element);
    mountScalar(element, { script, base, operation, isDark }).then(
      () => {
        setState('shown');
        openForm(element);
      },
      () => setState('failed'),
    );
    return endRepair;
  }, []);
  useEffect(() => {
    if (state === 'shown') changeScalarTheme(isDark);
  }, [state, isDark]);
  return (
    <>
      {state !== 'shown' && <p role={state === 'failed' ? 'alert' : 'status'}>{texts[state]}</p>}
      <div ref={place} lang="en" />
    </>
  );
}
