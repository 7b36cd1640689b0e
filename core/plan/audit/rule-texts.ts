import { poolTexts } from './pool-texts.ts';
import type { RuleText } from './rule-text.ts';
import { serviceTexts } from './service-texts.ts';
import { workloadTexts } from './workload-texts.ts';

/** What every rule of the audit is about, by its id. */
export const ruleTexts: ReadonlyMap<string, RuleText> = new Map(
  Object.entries({ ...serviceTexts, ...workloadTexts, ...poolTexts }),
);
