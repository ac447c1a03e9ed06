import type { Right } from '@jobline/contracts';
import type { RegisteredRouter } from '@tanstack/react-router';
import {
  CalendarClock,
  Gauge,
  Globe,
  KeyRound,
  type LucideIcon,
  Mail,
  MessageSquareText,
  MessagesSquare,
  NotepadTextDashed,
  Settings,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react';
import { useCan } from '../session/use-session.js';

export interface Destination {
  to: Exclude<keyof RegisteredRouter['routesByPath'], '/job/$id'>;
  /** The prefix of the paths of detail pages that belong to this destination. */
  below?: string;
  label: string;
  icon: LucideIcon;
  /** The key after `g`. */
  shortcut: string;
  /** The right that is needed. Absent: every role can open the page. */
  right?: Right;
}

/** The links of the sidebar, from top to bottom. */
export const NAVIGATION: readonly { label: string | null; destinations: readonly Destination[] }[] = [
  {
    label: null,
    destinations: [
      { to: '/', below: '/job/', label: 'Jobs', icon: Workflow, shortcut: 'j' },
      { to: '/schedules', label: 'Schedules', icon: CalendarClock, shortcut: 'c', right: 'schedules' },
    ],
  },
  {
    label: 'Messages',
    destinations: [
      { to: '/email', label: 'Email', icon: Mail, shortcut: 'e' },
      { to: '/sms', label: 'SMS', icon: MessageSquareText, shortcut: 's' },
      { to: '/chat', label: 'Chat', icon: MessagesSquare, shortcut: 'h' },
      { to: '/templates', label: 'Templates', icon: NotepadTextDashed, shortcut: 't' },
    ],
  },
  {
    label: 'Organization',
    destinations: [
      { to: '/domains', label: 'Domains', icon: Globe, shortcut: 'd' },
      { to: '/limits', label: 'Limits', icon: Gauge, shortcut: 'l', right: 'read_limits' },
      { to: '/webhooks', label: 'Webhooks', icon: Webhook, shortcut: 'w', right: 'webhooks' },
      { to: '/team', label: 'Team', icon: Users, shortcut: 'm', right: 'read_members' },
      { to: '/keys', label: 'API keys', icon: KeyRound, shortcut: 'k', right: 'api_keys' },
      { to: '/settings', label: 'Settings', icon: Settings, shortcut: 'o', right: 'read_settings' },
    ],
  },
];

export const DESTINATIONS: readonly Destination[] = NAVIGATION.flatMap(({ destinations }) => destinations);

/** Returns a check whether the user may open a page. */
export function useCanOpen(): (destination: { right?: Right }) => boolean {
  const can = useCan();
  return ({ right }) => !right || can(right);
}
