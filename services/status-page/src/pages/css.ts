import { type FieldFault, invalid } from "@sonde/kit/errors";
import type { StatusConfigInput } from "@sonde/proto/http/status/config";
import type { CssNode } from "css-tree";

type CheckedCss = {
  /** Written from the parsed style sheet, so browsers read exactly what was checked. Empty if there is a fault. */
  css: string;
  fault: FieldFault | null;
};

const dataImage = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;
/** At-rules and functions that can load something. `image-set` and others also take plain strings. */
const loadingRules = new Set(["import", "namespace", "font-face", "document", "-moz-document"]);
const loadingFunctions = /^(?:-webkit-)?(?:image-set|image|src|cross-fade|element|attr|expression)$/;
/** What could hide in a text that the parser does not understand. An escape could spell any of these. */
const suspicious = /url\(|import|image|src\(|\\/i;

/** Parses a page's style sheet. The fault has the line of the first part that could load something from outside. */
export async function checkCss(text: string): Promise<CheckedCss> {
  if (text === "") return { css: "", fault: null };
  // Loaded only for pages with CSS, since the parser takes memory.
  const [{ default: parse }, { default: walk }, { default: generate }] = await Promise.all([
    import("css-tree/parser"),
    import("css-tree/walker"),
    import("css-tree/generator"),
  ]);
  let fault: FieldFault | null = null;
  const refuse = (message: FieldFault["message"], line = 1) => {
    fault ??= { path: "css", message, params: { line } };
  };
  const tree = parse(text, {
    positions: true,
    parseCustomProperty: true,
    onParseError: (error) => refuse("Line {line}: this is not valid CSS", (error as Partial<Position>).line),
  });
  walk(tree, (node) => {
    if (loads(node)) refuse("Line {line}: CSS must not load anything from elsewhere", node.loc?.start.line);
  });
  return { css: fault === null ? generate(tree) : "", fault };
}

/** @throws AppError `invalid` if the CSS of a change cannot be used */
export async function refuseUnsafeCss({ css = "" }: StatusConfigInput): Promise<void> {
  const { fault } = await checkCss(css);
  if (fault !== null) throw invalid([fault]);
}

type Position = { line: number };

function loads(node: CssNode): boolean {
  if (node.type === "Url") return !dataImage.test(node.value);
  if (node.type === "Atrule") return loadingRules.has(node.name.toLowerCase());
  if (node.type === "Function") return loadingFunctions.test(node.name.toLowerCase());
  return node.type === "Raw" && suspicious.test(node.value);
}
