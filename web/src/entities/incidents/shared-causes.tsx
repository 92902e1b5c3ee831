import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import { sharedCauseText } from "@sonde/proto/http/incidents/shared-cause";
import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { cx } from "../../ui/cx.ts";
import { SearchIcon } from "../../ui/icons.tsx";

/** Here, since the first page loads this file late. */
const inCard = "gap-1 border-b border-line px-4 py-2.5 md:px-5";

type SharedCausesProps = { causes: readonly SharedCause[]; className?: string };

/** What incidents that began together share, one sentence each, with a link to these incidents. */
export default function SharedCauses({ causes, className = inCard }: SharedCausesProps) {
  const { i18n } = useTranslation();
  return (
    <ul className={cx("flex flex-col", className)}>
      {causes.map((cause) => (
        <li key={cause.incidentIds[0]} className="flex min-w-0 items-center gap-3">
          <SearchIcon className="size-4 shrink-0 text-muted" />
          <Link
            to={`${paths.incidents}?ids=${cause.incidentIds.join(",")}`}
            className="inline-flex min-h-6 min-w-0 items-center font-medium break-words hover:underline"
          >
            {sharedCauseText(cause, i18n.language as Language)}
          </Link>
        </li>
      ))}
    </ul>
  );
}
