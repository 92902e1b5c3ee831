import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { LoginEntries, ServerEntries, TlsEntries } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"redis"> }) {
  return (
    <>
      <ServerEntries check={check} />
      <LoginEntries check={check} />
      <TlsEntries check={check} isUsed={check.tls} />
    </>
  );
}
