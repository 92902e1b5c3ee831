import { parse } from "parse5";

export type HtmlNode = {
  nodeName: string;
  tagName?: string;
  value?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: HtmlNode[];
};

export function nodesOf(html: string): HtmlNode[] {
  const walk = (node: HtmlNode): HtmlNode[] => [node, ...(node.childNodes ?? []).flatMap(walk)];
  return walk(parse(html) as HtmlNode);
}

export const attributes = (nodes: readonly HtmlNode[], attribute: string): string[] =>
  nodes.flatMap(({ attrs = [] }) => attrs.filter(({ name }) => name === attribute).map(({ value }) => value));
