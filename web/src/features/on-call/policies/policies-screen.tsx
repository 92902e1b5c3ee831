import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { BackLink, useNotice } from "../../../app/screen.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { PoliciesSection } from "./policies-section.tsx";

export default function PoliciesScreen() {
  const { t } = useTranslation();
  return (
    <>
      <BackLink to={paths.onCall} label={t("nav.onCall")} />
      <PageHeader title={t("policies.title")} />
      <PoliciesSection arrived={useNotice()} />
    </>
  );
}
