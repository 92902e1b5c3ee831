import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { root } from "./packages.ts";

type Located = {
  /** Source text with the paths rewritten for the bundle. Line numbers are unchanged. */
  text: string;
  /** Threads and child processes: source file by name of the bundled program. */
  entries: Map<string, string>;
  /** Files and folders to copy: source by name in the bundle's folder. */
  assets: Map<string, string>;
  packages: string[];
  errors: string[];
};

/** Files that use others of the clone, with the reason why an image does not need those. */
const cloneOnly: Readonly<Record<string, string>> = {
  "services/gateway/src/config.ts": "WEB_DIST, DOCS_DIST and AGENT_DOWNLOAD_DIR are set in the images",
  "packages/embedded/src/nats-binary.ts": "nats-server is on PATH in the image",
  "deploy/local/src/clone.ts":
    "SONDE_DATA_DIR, WEB_DIST and DOCS_DIST are set in the image, and agents are not built in it",
};

const programs = new Set([".ts", ".mts", ".js", ".mjs"]);
const besideFile =
  /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)|\b(?:join|resolve)\(\s*import\.meta\.dirname,\s*"([^"]+)",?\s*\)/g;
const packageResolution = /createRequire\(import\.meta\.url\)\.resolve\("([^"]+)"\)/g;
const anyLocation = /import\.meta\.(?:url|dirname|filename|resolve)\b/;

/**
 * Finds files that a source file of Sonde uses, and rewrites their paths to the bundle's flat folder. Reports unsupported
 * forms, because the file would be missing at run time.
 * @param inClone the bundle's folder if it stays in this clone
 */
export function locate(file: string, source: string, inClone?: string): Located {
  const located: Located = { text: source, entries: new Map(), assets: new Map(), packages: [], errors: [] };
  const path = relative(root, file);
  for (const [, name] of source.matchAll(packageResolution)) if (name) located.packages.push(name);
  if (path in cloneOnly) {
    if (inClone !== undefined) {
      const back = JSON.stringify(`/${relative(inClone, dirname(file))}`);
      located.text = source.replaceAll("import.meta.dirname", `(import.meta.dirname + ${back})`);
    }
    return located;
  }
  located.text = source.replaceAll(besideFile, (expression: string, fromUrl?: string, fromFolder?: string) => {
    const specifier = fromUrl ?? fromFolder ?? "";
    const target = resolve(dirname(file), specifier);
    if (!existsSync(target)) {
      located.errors.push(`${path} looks for ${relative(root, target)}, which does not exist`);
      return expression;
    }
    const isProgram = programs.has(extname(target)) && !target.includes("/node_modules/");
    const name = isProgram ? entryName(target) : assetName(target);
    (isProgram ? located.entries : located.assets).set(name, target);
    const address = isProgram ? `./${name}.js` : `./${name}${specifier.endsWith("/") ? "/" : ""}`;
    return expression.replace(`"${specifier}"`, `"${address}"`);
  });
  const left = withoutComments(located.text.replaceAll(packageResolution, "")).replaceAll(besideFile, "");
  if (anyLocation.test(left)) {
    located.errors.push(
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
