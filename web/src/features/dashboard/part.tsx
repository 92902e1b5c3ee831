import type { ComponentType, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { formatNumber } from "../../lib/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";

type PartProps = {
  title: string;
  count?: number | null;
  countTo?: string;
  more?: { to: string; label: string };
  flush?: boolean;
  isUnavailable?: boolean;
  className?: string;
  children: ReactNode;
};

export function Part({
  title,
  count = null,
  countTo = "",
  more,
  flush = true,
  isUnavailable,
  className,
  children,
}: PartProps) {
  const { t, i18n } = useTranslation();
  return (
    <Card
      flush={flush}
      className={className}
      title={
        <>
          {title}{" "}
          {count !== null && (
            <Link to={countTo} className="tnum font-normal text-muted hover:underline">
              {formatNumber(count, i18n.language)}
            </Link>
          )}
        </>
      }
      actions={
        more && (
          <ButtonLink to={more.to} variant="ghost" size="sm">
            {more.label}
          </ButtonLink>
        )
      }
    >
      {isUnavailable ? <p className={cx("text-muted", flush && "p-5")}>{t("dashboard.unavailable")}</p> : children}
    </Card>
  );
}

type StateCountProps = {
  to: string;
  icon: ComponentType<{ className?: string }>;
  ink: string;
  label: string;
  count: number;
};

export function StateCount({ to, icon: Icon, ink, label, count }: StateCountProps) {
  const { i18n } = useTranslation();
  return (
    <li>
      <Link to={to} className="inline-flex min-h-8 items-center gap-1.5 rounded-sm hover:underline">
        <Icon className={cx("size-3.5", ink)} />
        <span className="text-muted">{label}</span>{" "}
        <span className="tnum font-semibold">{formatNumber(count, i18n.language)}</span>
      </Link>
    </li>
  );
}
