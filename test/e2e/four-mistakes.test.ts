import { describeFourMistakes } from '../support/marketplace/four-mistakes.ts';

describeFourMistakes(600);
