import { cleanText } from './clean-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content and the attributes of HTML and SVG. */
export function escapeHtml(text: string): string {
  return cleanText(text).replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
