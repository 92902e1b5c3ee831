import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { root } from "./packages.ts";

/** What a source file expects beside itself at run time. */
type Located = {
  /** The text with addresses as they are in the bundle, line by line as before. */
  text: string;
  /** Programs that run by themselves (threads, child processes): source file by the name of their bundle. */
  entries: Map<string, string>;
  /** Files and folders to copy, also those of a package: source by the name in the bundle's folder. */
  assets: Map<string, string>;
  /** Packages whose folder in node_modules is used. */
  packages: string[];
  /** Sentences on what cannot be handled. */
  faults: string[];
};

/** Files that look for others in the clone, with the reason why they need none in an image. */
const elsewhere: Readonly<Record<string, string>> = {
  "services/gateway/src/config.ts": "WEB_DIST, DOCS_DIST and AGENT_DOWNLOAD_DIR are set in the images",
  "packages/embedded/src/nats-binary.ts": "nats-server is on PATH in the image",
  "deploy/local/src/clone.ts":
    "SONDE_DATA_DIR, WEB_DIST and DOCS_DIST are set in the image, and agents are not built in it",
};

const programs = new Set([".ts", ".mts", ".js", ".mjs"]);
const besideFile =
  /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)|\b(?:join|resolve)\(\s*import\.meta\.dirname,\s*"([^"]+)",?\s*\)/g;
const placeOfPackage = /createRequire\(import\.meta\.url\)\.resolve\("([^"]+)"\)/g;
const anyLocation = /import\.meta\.(?:url|dirname|filename|resolve)\b/;

/**
 * Finds what a source file of ours reads or starts relative to itself, and rewrites those paths to the bundle's flat
 * folder. An unknown case is a fault, so that no file is missing unnoticed.
 * @param inClone the bundle's folder if it stays in this clone
 */
export function locate(file: string, source: string, inClone?: string): Located {
  const located: Located = { text: source, entries: new Map(), assets: new Map(), packages: [], faults: [] };
  const path = relative(root, file);
  for (const [, name] of source.matchAll(placeOfPackage)) if (name) located.packages.push(name);
  if (path in elsewhere) {
    if (inClone !== undefined) {
      const back = JSON.stringify(`/${relative(inClone, dirname(file))}`);
      located.text = source.replaceAll("import.meta.dirname", `(import.meta.dirname + ${back})`);
    }
    return located;
  }
  located.text = source.replaceAll(besideFile, (expression: string, fromUrl?: string, fromFolder?: string) => {
    const asked = fromUrl ?? fromFolder ?? "";
    const target = resolve(dirname(file), asked);
    if (!existsSync(target)) {
      located.faults.push(`${path} looks for ${relative(root, target)}, which is not there`);
      return expression;
    }
    const isProgram = programs.has(extname(target)) && !target.includes("/node_modules/");
    const name = isProgram ? entryName(target) : assetName(target);
    (isProgram ? located.entries : located.assets).set(name, target);
    const address = isProgram ? `./${name}.js` : `./${name}${asked.endsWith("/") ? "/" : ""}`;
    return expression.replace(`"${asked}"`, `"${address}"`);
  });
  const left = withoutComments(located.text.replaceAll(placeOfPackage, "")).replaceAll(besideFile, "");
  if (anyLocation.test(left)) {
    located.faults.push(
      `${path} uses import.meta in a form that the bundler cannot rewrite. Use new URL("./file", import.meta.url) or ` +
        'join(import.meta.dirname, "file"). If images do not need the file, add this source and the reason to deploy/bundle/src/locations.ts',
    );
  }
  return located;
}

/** `services/kit/src/patterns/thread.ts` → `kit-patterns-thread`. */
export const entryName = (file: string): string =>
  flat(relative(root, join(dirname(file), basename(file, extname(file)))));
const assetName = (path: string): string => `assets/${flat(relative(root, path))}`;

const flat = (path: string): string =>
  path
    .split("/")
    .filter((part, index) => part !== "src" && !(index === 0 && ["services", "deploy"].includes(part)))
    .join("-");

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
