import type { Right } from '@jobline/contracts';
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

export interface Destination {
  to:
    | '/'
    | '/schedules'
    | '/email'
    | '/sms'
    | '/chat'
    | '/templates'
    | '/domains'
    | '/limits'
    | '/webhooks'
    | '/team'
    | '/keys'
    | '/settings';
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
