//! Wires the rooms and implements the control room.
