import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { Navigate, type RouteObject } from "react-router-dom";
import { loadReasons } from "../lib/reasons.ts";
import { LoadingText } from "../ui/states.tsx";
import { RequireAdmin, RequireChange, RequireSession, SetupFirst, VisitorsOnly } from "./guards.tsx";
import { currentLanguage, loadLaterWords } from "./i18n.ts";
import { Layout } from "./layout/layout.tsx";
import { paths } from "./paths.ts";

type Load = () => Promise<{ default: ComponentType }>;

/** A screen in its own chunk. If it shows failure reasons in Chinese, it waits for their translations. */
function screen(load: Load, { waitsForReasons = true } = {}): ReactNode {
  const Screen = lazy(async () => {
    const isReady = waitsForReasons && currentLanguage() === "zh-CN" ? loadReasons().catch(() => undefined) : undefined;
    return (await Promise.all([load(), isReady]))[0];
  });
  return (
    <Suspense fallback={<LoadingText />}>
      <Screen />
    </Suspense>
  );
}

/** A screen whose words are in the later catalogue. */
const later = (load: Load) => screen(async () => (await Promise.all([load(), loadLaterWords()]))[0]);

const home = screen(() => import("../features/home/home-screen.tsx"));
const login = screen(() => import("../features/auth/login-screen.tsx"));
const complete = screen(() => import("../features/auth/complete-screen.tsx"));
const register = screen(() => import("../features/auth/register-screen.tsx"));
const invite = screen(() => import("../features/auth/invite-screen.tsx"));
const notFound = screen(() => import("../features/not-found/not-found-screen.tsx"));
const dashboard = screen(() => import("../features/dashboard/dashboard-screen.tsx"), { waitsForReasons: false });
const monitorList = screen(() => import("../features/monitors/list/list-screen.tsx"), { waitsForReasons: false });
const wall = screen(() => import("../features/monitors/wall/wall-screen.tsx"));
const monitorDetail = screen(() => import("../features/monitors/detail/detail-screen.tsx"));
const monitorCreate = screen(() => import("../features/monitors/form/create-screen.tsx"));
const monitorImport = later(() => import("../features/import/import-screen.tsx"));
const monitorEdit = screen(() => import("../features/monitors/form/edit-screen.tsx"));
const agentList = screen(() => import("../features/agents/list/list-screen.tsx"));
const agentDetail = screen(() => import("../features/agents/detail/detail-screen.tsx"));
const agentCreate = screen(() => import("../features/agents/install/create-screen.tsx"));
const agentEdit = screen(() => import("../features/agents/edit-screen.tsx"));
const incidentList = screen(() => import("../features/incidents/list-screen.tsx"));
const incidentDetail = screen(() => import("../features/incidents/detail-screen.tsx"));
const acknowledge = screen(() => import("../features/incidents/acknowledge-screen.tsx"));
const maintenance = screen(() => import("../features/maintenance/maintenance-screen.tsx"));
const windows = screen(() => import("../features/maintenance/maintenance-tab.tsx"));
const silences = screen(() => import("../features/maintenance/silences-tab.tsx"));
const onCall = later(() => import("../features/on-call/on-call-screen.tsx"));
const schedule = later(() => import("../features/on-call/schedule-screen.tsx"));
const levels = screen(() => import("../features/service-levels/levels-screen.tsx"));
const loadSlos = () => import("../features/service-levels/list-screen.tsx");
const slos = later(loadSlos);
const sloDetail = later(async () => ({ default: (await loadSlos()).DetailScreen }));
const sloForm = later(() => import("../features/service-levels/form-screen.tsx"));
const loadReports = () => import("../features/reports/list-screen.tsx");
const reports = later(loadReports);
const reportDetail = later(async () => ({ default: (await loadReports()).DetailScreen }));
const reportForm = later(() => import("../features/reports/form-screen.tsx"));
const statusConfig = screen(() => import("../features/status/status-config-screen.tsx"));
const notifications = screen(() => import("../features/notifications/notifications-screen.tsx"));
const channelList = screen(() => import("../features/notifications/channels/channels-screen.tsx"));
const channel = screen(() => import("../features/notifications/channels/channel-screen.tsx"));
const globalSettings = screen(() => import("../features/notifications/settings/global-screen.tsx"));
const ownSettings = screen(() => import("../features/notifications/settings/own-screen.tsx"));
const templateList = screen(() => import("../features/notifications/templates/templates-screen.tsx"));
const template = screen(() => import("../features/notifications/templates/template-screen.tsx"));
const deliveries = screen(() => import("../features/notifications/deliveries/deliveries-screen.tsx"));
const noise = later(() => import("../features/notifications/noise/noise-screen.tsx"));
const scheduleImport = later(() => import("../features/on-call/import-screen.tsx"));
const drills = later(() => import("../features/on-call/drills/drills-screen.tsx"));
const policies = later(() => import("../features/on-call/policies/policies-section.tsx"));
const policy = later(() => import("../features/on-call/policies/policy-screen.tsx"));
const settings = screen(() => import("../features/settings/settings-screen.tsx"), { waitsForReasons: false });
const settingsGeneral = screen(() => import("../features/settings/general-screen.tsx"));
const settingsLocations = later(() => import("../features/settings/locations-screen.tsx"));
const sources = screen(() => import("../features/sources/sources-screen.tsx"));
const signIn = later(() => import("../features/sign-in/sign-in-screen.tsx"));
const users = later(() => import("../features/users/list-screen.tsx"));
const userCreate = screen(() => import("../features/users/create-screen.tsx"));
const userEdit = screen(() => import("../features/users/edit-screen.tsx"));
const audit = later(() => import("../features/audit/audit-screen.tsx"));
const notAllowed = screen(() => import("../features/users/not-allowed-screen.tsx"));
const profile = later(() => import("../features/users/profile-screen.tsx"));
const profileOnCall = later(() => import("../features/users/on-call/on-call-screen.tsx"));

export const routes: RouteObject[] = [
  { element: <RequireSession />, children: [{ path: paths.wall, element: wall }] },
  {
    element: <Layout />,
    children: [
      { element: <SetupFirst />, children: [{ path: paths.home, element: home }] },
      { path: paths.acknowledge, element: acknowledge },
      { path: paths.signInComplete, element: complete },
      { path: paths.invite, element: invite },
      {
        element: <VisitorsOnly />,
        children: [
          { element: <SetupFirst />, children: [{ path: paths.login, element: login }] },
          { path: paths.register, element: register },
        ],
      },
      {
        element: <RequireSession />,
        children: [
          { path: paths.dashboard, element: dashboard },
          { path: paths.monitors, element: monitorList },
          { path: paths.monitorPattern, element: monitorDetail },
          { path: paths.agents, element: agentList },
          { path: paths.agentPattern, element: agentDetail },
          { path: paths.incidents, element: incidentList },
          { path: paths.incidentPattern, element: incidentDetail },
          { path: paths.onCall, element: onCall },
          {
            element: levels,
            children: [
              { path: paths.slos, element: slos },
              { path: paths.reports, element: reports },
            ],
          },
          { path: paths.sloPattern, element: sloDetail },
          { path: paths.reportPattern, element: reportDetail },
          { path: paths.statusConfig, element: statusConfig },
          {
            element: maintenance,
            children: [
              { path: paths.maintenance, element: windows },
              { path: paths.silences, element: silences },
            ],
          },
          {
            path: paths.notifications,
            element: notifications,
            children: [
              { index: true, element: channelList },
              { path: paths.notificationSettings, element: globalSettings },
              { path: paths.notificationTemplates, element: templateList },
              { path: paths.deliveries, element: deliveries },
              { path: paths.noise, element: noise },
            ],
          },
          { path: paths.monitorNotificationsPattern, element: ownSettings },
          { path: paths.agentNotificationsPattern, element: ownSettings },
          { path: paths.templateEditPattern, element: template },
          { path: paths.drills, element: drills },
          { path: paths.policies, element: policies },
          { path: paths.policyEditPattern, element: policy },
          { path: paths.profile, element: profile },
          { path: paths.profileOnCall, element: profileOnCall },
          {
            element: <RequireChange otherwise={notAllowed} />,
            children: [
              { path: paths.monitorCreate, element: monitorCreate },
              { path: paths.monitorImport, element: monitorImport },
              { path: paths.monitorEditPattern, element: monitorEdit },
              { path: paths.agentCreate, element: agentCreate },
              { path: paths.agentEditPattern, element: agentEdit },
              { path: paths.onCallCreate, element: schedule },
              { path: paths.onCallImport, element: scheduleImport },
              { path: paths.onCallEditPattern, element: schedule },
              { path: paths.sloCreate, element: sloForm },
              { path: paths.sloEditPattern, element: sloForm },
              { path: paths.reportCreate, element: reportForm },
              { path: paths.reportEditPattern, element: reportForm },
              { path: paths.channelCreate, element: channel },
              { path: paths.channelEditPattern, element: channel },
              { path: paths.templateCreate, element: template },
              { path: paths.policyCreate, element: policy },
            ],
          },
          { path: paths.settings, element: <Navigate to={paths.settingsGeneral} replace /> },
          {
            element: settings,
            children: [
              { path: paths.settingsGeneral, element: settingsGeneral },
              { path: paths.settingsLocations, element: settingsLocations },
              {
                element: <RequireChange otherwise={notAllowed} />,
                children: [{ path: paths.sources, element: sources }],
              },
              {
                element: <RequireAdmin otherwise={notAllowed} />,
                children: [
                  { path: paths.users, element: users },
                  { path: paths.userCreate, element: userCreate },
                  { path: paths.userPattern, element: userEdit },
                  { path: paths.audit, element: audit },
                  { path: paths.signIn, element: signIn },
                ],
              },
            ],
          },
        ],
      },
      { path: "*", element: notFound },
    ],
  },
];
