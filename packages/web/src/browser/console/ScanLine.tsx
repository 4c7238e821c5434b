import { useTexts } from '../components/preferences.ts';
import type { ConsoleState } from './api-types.ts';
import { ProgressBar } from './Frame.tsx';
import { TEXTS } from './texts.ts';

/** The scan that the console runs for any browser. */
export function ScanLine({ scan }: { scan: NonNullable<ConsoleState['scan']> }) {
  const texts = useTexts(TEXTS);
  const { argv, progress, waiting } = scan;
  const label = `${texts.scanning}: ${argv.filter((word) => word !== '--').join(' ')}`;
  return (
    <div class="card scan" role="status">
      {progress ? <ProgressBar {...progress} label={label} /> : <p class="small">{label}</p>}
      {waiting > 0 && <p class="small soft">{texts.waitingScans(waiting)}</p>}
    </div>
  );
}
