import { allChannelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const typesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const [, type] = /([^/]+)\.ts$/.exec(path) ?? [];
    return type === undefined || type.endsWith(".test") || type === "channel" ? [] : [type];
  });

test.each(["./types", "../../../../proto/http/notifications/channels"])(
  "each type of channel with a file in %s is in the list of types, and the reverse",
  (folder) => {
    expect(typesIn(folder).toSorted()).toEqual(allChannelTypeNames.toSorted());
  },
);
