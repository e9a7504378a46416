"""The status of an ElasticHorovodJob: that of a HorovodJob, whose number of workers may change."""

from __future__ import annotations

from bayplan.library.status.horovod_job import horovod_job_status

elastic_horovod_job_status = horovod_job_status
