import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { SqlEntries } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"mysql"> }) {
  return <SqlEntries check={check} />;
}
