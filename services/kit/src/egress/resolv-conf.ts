/** What a stub resolver follows beside its servers, see resolv.conf(5). */
export interface ResolvConf {
  search: string[];
  ndots: number;
}

/** Reads `search`, `domain` and `options ndots`; the last `search` or `domain` counts. */
export function parseResolvConf(text: string): ResolvConf {
  const conf: ResolvConf = { search: [], ndots: 1 };
  for (const line of text.split("\n")) {
    const [keyword, ...words] = line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "search") conf.search = words.map(withoutDot);
    if (keyword === "domain") conf.search = words.slice(0, 1).map(withoutDot);
    if (keyword !== "options") continue;
    for (const word of words) {
      const ndots = /^ndots:(\d+)$/.exec(word)?.[1];
      if (ndots !== undefined) conf.ndots = Math.min(15, Number(ndots));
    }
  }
  return conf;
}

/**
 * The names to ask for, in order. A name with fewer than `ndots` dots is tried below each search domain first, so
 * that a cluster's `postgres.default` is found; any other as it stands first. A trailing dot ends all searching.
 */
export function candidates(host: string, { search, ndots }: ResolvConf): string[] {
  if (host.endsWith(".")) return [withoutDot(host)];
  const searched = search.filter((domain) => domain !== "").map((domain) => `${host}.${domain}`);
  const dots = host.split(".").length - 1;
  return dots >= ndots ? [host, ...searched] : [...searched, host];
}

function withoutDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
