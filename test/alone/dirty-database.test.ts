import { describeFourMistakes } from '../support/marketplace/four-mistakes.ts';

describeFourMistakes(20_000);
