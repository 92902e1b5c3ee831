import { useTranslation } from "react-i18next";
import { createShared, useShared } from "../../lib/hooks.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { BellIcon } from "../../ui/icons.tsx";
import { paths } from "../paths.ts";

/** Number of open incidents, set by `down-count.tsx`. `null` until then. */
export const openIncidents = createShared<number | null>(null);

const maxShown = 99;

export function Bell() {
  const { t } = useTranslation();
  const count = useShared(openIncidents);
  const label = count === null ? t("nav.incidents") : t("nav.openIncidents", { count });
  return (
    <ButtonLink to={`${paths.incidents}?open=true`} variant="ghost" size="icon" aria-label={label} title={label}>
      <span className="relative">
        <BellIcon />
        {count !== null && count > 0 && (
          <span
            aria-hidden="true"
            className="tnum absolute -top-2 left-2 min-w-4 rounded-full bg-danger px-1 text-center text-[11px] leading-4 font-semibold text-on-danger"
          >
            {count > maxShown ? `${maxShown}+` : count}
          </span>
        )}
      </span>
    </ButtonLink>
  );
}
