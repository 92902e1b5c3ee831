import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "./badge.tsx";
import { ButtonLink } from "./button.tsx";
import { Card } from "./card.tsx";
import { PageHeader } from "./page-header.tsx";
import { EmptyState } from "./states.tsx";

/** A page for a screen that a later version brings: it says so and shows no invented data. */
export function NotYet({
  title,
  icon,
  text,
  backTo,
}: {
  title: string;
  icon: ReactNode;
  text: string;
  backTo: string;
}) {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={title} badge={<Badge>{t("notYet.badge")}</Badge>} />
      <Card>
        <EmptyState icon={icon} title={text} action={<ButtonLink to={backTo}>{t("notYet.back")}</ButtonLink>}>
          {t("notYet.text")}
        </EmptyState>
      </Card>
    </>
  );
}
