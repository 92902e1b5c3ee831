const prescannedBytes = 1024;

/** By BOM, content type, or HTML or XML declaration (HTML Standard §13.2.3); defaults to UTF-8. */
export function decodeBody(bytes: Buffer, contentType = ""): string {
  const charset =
    charsetOfBom(bytes) ??
    encodingOf(/charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]) ??
    (/html|xml|^\s*$/i.test(contentType) ? prescan(bytes.toString("latin1", 0, prescannedBytes)) : undefined);
  return new TextDecoder(charset ?? "utf-8").decode(bytes);
}

function charsetOfBom([first, second, third]: Buffer): string | undefined {
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}

/** Resolves a label to its encoding (Encoding Standard §4.2); `undefined` if unknown. */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const markup = /<!--[^]*?-->|<(meta)(?=[\s/])|<\/?[a-z][^\s/>]*|<[!/?][^>]*>/gi;
const attribute = /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/y;
const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']\s*([^\s"'>]+)\s*["']/;

/** HTML Standard, "prescan a byte stream to determine its encoding". */
function prescan(text: string): string | undefined {
  markup.lastIndex = 0;
  for (let found = markup.exec(text); found !== null; found = markup.exec(text)) {
    const isTag = /^<\/?[a-z]/i.test(found[0]);
    if (!isTag) continue;
    const attributes = attributesAt(text, markup.lastIndex);
    markup.lastIndex = attributes.end;
    if (found[1] === undefined) continue;
    const charset = charsetOfMeta(attributes.values);
    if (charset !== undefined) return charset;
  }
  return asDeclared(declaration.exec(text)?.[1]);
}

function attributesAt(text: string, from: number): { values: Map<string, string>; end: number } {
  const values = new Map<string, string>();
  let end = from;
  attribute.lastIndex = from;
  for (let found = attribute.exec(text); found !== null; found = attribute.exec(text)) {
    const [, name = "", ...given] = found;
    end = attribute.lastIndex;
    const value = given.find((each) => each !== undefined) ?? "";
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), value);
  }
  return { values, end };
}

function charsetOfMeta(values: ReadonlyMap<string, string>): string | undefined {
  const own = asDeclared(values.get("charset"));
  if (own !== undefined || values.has("charset")) return own;
  if (values.get("http-equiv")?.toLowerCase() !== "content-type") return undefined;
  return asDeclared(/charset\s*=\s*["']?([^\s"';]+)/i.exec(values.get("content") ?? "")?.[1]);
}

// Text that was read byte by byte is not UTF-16, even if declared so.
function asDeclared(label: string | undefined): string | undefined {
  if (label?.trim().toLowerCase() === "x-user-defined") return "windows-1252";
  const charset = encodingOf(label);
  return charset?.startsWith("utf-16") === true ? "utf-8" : charset;
}
