import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { UnsavedGuard, useUnsavedParts } from "../../app/unsaved-guard.tsx";
import { ApiCard } from "./api-card.tsx";
import { BasicInfoForm } from "./basic-info-form.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Preferences } from "./preferences.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Time } from "../../ui/time.tsx";

/** One's own name, address, password, and how the app looks. */
export default function ProfileScreen() {
  const { t } = useTranslation();
  const { user } = useSession();
  const { unsaved, report } = useUnsavedParts<"basic" | "password">();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t("profile.title")}
        description={
          user !== null && (
            <>
              {t("profile.since", { role: t(`users.roles.${user.role}`) })} <Time at={user.createdAt} relative />
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        <BasicInfoForm user={user} onUnsaved={(yes) => report("basic", yes)} />
        <PasswordForm user={user} onUnsaved={(yes) => report("password", yes)} />
        <Preferences />
        <ApiCard />
      </div>
      <UnsavedGuard unsaved={unsaved} />
    </div>
  );
}
