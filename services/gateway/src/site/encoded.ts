import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];
/** How hard each encoding tries. */
export type Levels = Record<Encoding, number>;

/** The compressed forms of some bytes. */
export type EncodedForms = {
  /** Null where it would not be smaller. */
  get(encoding: Encoding): Promise<Buffer | null>;
};

/** Less than this is not worth the trouble. */
const smallestBytes = 1024;
const never: EncodedForms = { get: async () => null };

/** Forms that were made before, as by the web app's build; null if there is none. */
export function stored(forms: Record<Encoding, Buffer | null>): EncodedForms {
  return { get: async (encoding) => forms[encoding] };
}

/** Makes each form at the first question for it, off the loop, and keeps it. */
export function encodedOnce(bytes: Buffer, levels: Levels): EncodedForms {
  if (bytes.length < smallestBytes) return never;
  const forms = new Map<Encoding, Promise<Buffer | null>>();
  return {
    get: (encoding) => {
      const form = forms.get(encoding) ?? compress(bytes, encoding, levels[encoding]);
      forms.set(encoding, form);
      return form;
    },
  };
}

async function compress(bytes: Buffer, encoding: Encoding, level: number): Promise<Buffer | null> {
  const encoded =
    encoding === "br"
      ? await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })
      : await promisify(gzip)(bytes, { level });
  return encoded.length < bytes.length ? encoded : null;
}
