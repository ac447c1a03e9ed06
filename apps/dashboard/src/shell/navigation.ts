import type { Right } from '@jobline/contracts';
import {
  Globe,
  KeyRound,
  type LucideIcon,
  Mail,
  MessageSquareText,
  NotepadTextDashed,
  Users,
  Workflow,
} from 'lucide-react';

export interface Destination {
  to: '/' | '/email' | '/sms' | '/templates' | '/domains' | '/team' | '/keys';
  label: string;
  icon: LucideIcon;
  /** After `g`. */
  key: string;
  /** Absent: everybody goes there. */
  right?: Right;
}

/** The sidebar, from top to bottom. */
export const NAVIGATION: readonly { label: string | null; destinations: readonly Destination[] }[] = [
  { label: null, destinations: [{ to: '/', label: 'Jobs', icon: Workflow, key: 'j' }] },
  {
    label: 'Messages',
    destinations: [
      { to: '/email', label: 'Email', icon: Mail, key: 'e' },
      { to: '/sms', label: 'SMS', icon: MessageSquareText, key: 's' },
      { to: '/templates', label: 'Templates', icon: NotepadTextDashed, key: 't' },
    ],
  },
  {
    label: 'Organization',
    destinations: [
      { to: '/domains', label: 'Domains', icon: Globe, key: 'd' },
      { to: '/team', label: 'Team', icon: Users, key: 'm', right: 'read_members' },
      { to: '/keys', label: 'API keys', icon: KeyRound, key: 'k', right: 'api_keys' },
    ],
  },
];
