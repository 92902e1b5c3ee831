import { useTranslation } from "react-i18next";
import { PageHeader } from "../../../ui/page-header.tsx";
import { PoliciesSection } from "./policies-section.tsx";

export default function PoliciesScreen() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t("policies.title")} />
      <PoliciesSection />
    </>
  );
}
