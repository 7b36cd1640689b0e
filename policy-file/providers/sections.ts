import { eks } from './eks.ts';
import { gke } from './gke.ts';
import type { ProviderSection } from './section.ts';

/** The providers that a policy can name in `spec.pool.provider`. The first is meant where a policy names none. */
export const providerSections: ProviderSections = { eks, gke };

/** Sections by the name of their provider. */
export type ProviderSections = Readonly<Record<string, ProviderSection>>;
