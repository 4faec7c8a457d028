"""Settings for all tests: a property is about what happens, not about how busy the machine is."""

from hypothesis import HealthCheck, settings

settings.register_profile("inktex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("inktex")
