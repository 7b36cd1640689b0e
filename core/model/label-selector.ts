import type { Labels } from './label-index.ts';

/** A label selector in the form of Kubernetes (meta/v1 LabelSelector). */
export interface LabelSelectorFacts {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Whether labels match a selector. An empty selector matches all, an absent one none (policy/v1 and meta/v1 LabelSelector). */
export function selectsLabels(selector: LabelSelectorFacts | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}

/** Keys of the labels that a selector uses. */
export function selectorKeys({ matchLabels = {}, matchExpressions = [] }: LabelSelectorFacts): readonly string[] {
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}
