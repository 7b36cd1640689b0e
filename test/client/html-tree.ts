import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** An element of a page. */
export type Element = DefaultTreeAdapterTypes.Element;

/** Every element of a page that a browser would build from this text, in order. */
export function elementsOf(html: string): readonly Element[] {
  const found: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return found;
}

/** The text in a node, as a reader sees it. */
export function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** An attribute of an element; empty when it has none. */
export function attributeOf({ attrs }: Element, name: string): string {
  return attrs.find((one) => one.name === name)?.value ?? '';
}
