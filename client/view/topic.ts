import type { FieldTopic } from '../explain/policy-field.ts';
import type { Topic } from '../explain/topics.ts';
import type { Style } from '../output/style.ts';
import { fitWidth } from './wrap.ts';

/** Draws what a name stands for. */
export function renderTopic(topic: Topic, style: Style): string[] {
  return fitWidth(
    linesOf(topic).map((line, index) => (index === 0 ? style.paint('strong', line) : line)),
    style,
  );
}

function linesOf(topic: Topic): readonly string[] {
  switch (topic.kind) {
    case 'rule':
      return [
        `${topic.name}  ${topic.title}`,
        `severity: ${topic.severities.join(' or ')}`,
        `why: ${topic.why}`,
        `fix: ${topic.fix}`,
      ];
    case 'code':
      return [
        topic.name,
        `means: ${topic.means}`,
        `fix: ${topic.fix}`,
        `exit code: ${topic.exitCode}`,
        `retried: ${topic.retryable ? 'yes, it can succeed later' : 'no, it would fail again'}`,
      ];
    case 'exit-code':
      return [
        `exit code ${topic.name}`,
        `means: ${topic.means}`,
        ...(topic.codes.length === 0 ? [] : [`problems: ${topic.codes.join(', ')}`]),
      ];
    case 'field':
      return [
        topic.name,
        ...(topic.description === undefined ? [] : [topic.description]),
        `allowed: ${topic.type}`,
        ...defaultOf(topic),
      ];
  }
}

/** Where the default depends on something, the description says on what. */
function defaultOf({ required, default: fallback, description = '' }: FieldTopic): readonly string[] {
  if (required) return ['default: none, it is required'];
  return fallback === undefined && description.includes('Default') ? [] : [`default: ${spellDefault(fallback)}`];
}

function spellDefault(value: unknown): string {
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
